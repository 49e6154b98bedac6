import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/postgres/tables.ts',
  out: './drizzle-postgres',
  // Where the service itself keeps what it has applied.
  migrations: { schema: 'public', table: '__drizzle_migrations' },
});
