import { describeStore } from '../../../store/contract.ts';
import { openOnPostgres } from './open.ts';

describeStore('the store on PostgreSQL: payments', openOnPostgres, 'payments');
