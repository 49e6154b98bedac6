import { describeStore } from './contract.ts';
import { openOnSqlite } from './sqlite/subject.ts';

describeStore('the store on SQLite', openOnSqlite);
