import type { AccessReads, AccessWrites } from '../../port/access.ts';
import type { AlertReads, AlertWrites } from '../../port/alerts.ts';
import type { OperatorReads, OperatorWrites } from '../../port/operators.ts';
import { byApiKey, byKey, nothing, type SubjectsOf } from '../../sql/subjects.ts';

export const ACCESS_SUBJECTS: SubjectsOf<AccessReads & AccessWrites> = {
  findIdempotentResponse: byKey,
  apiKeyByHash: nothing,
  apiKey: byApiKey,
  apiKeys: nothing,
  sessionByHash: nothing,
  saveIdempotentResponse: byKey,
  insertApiKey: nothing,
  revokeApiKey: byApiKey,
  endApiKey: byApiKey,
  touchApiKey: nothing,
  insertSession: nothing,
  deleteSession: nothing,
  insertLoginLink: nothing,
  takeLoginLink: nothing,
};

/** One process watches, and indices keep a second alert or delivery of the same out. */
export const ALERT_SUBJECTS: SubjectsOf<AlertReads & AlertWrites> = {
  openAlerts: nothing,
  alerts: nothing,
  deliveriesOf: nothing,
  untoldAlerts: nothing,
  troubledDeliveries: nothing,
  lastDelivered: nothing,
  auditFaults: nothing,
  claimAlertWatch: nothing,
  beginAlert: nothing,
  endAlert: nothing,
  queueDelivery: nothing,
  leaseDelivery: nothing,
  markDelivered: nothing,
  putDeliveryBack: nothing,
  giveUpDeliveries: nothing,
  // A note of an audit, of many gigs in one transaction: nothing is decided by it.
  keepAuditFault: nothing,
};

export const OPERATOR_SUBJECTS: SubjectsOf<OperatorReads & OperatorWrites> = {
  auditEvents: nothing,
  idSkips: nothing,
  lastArrival: nothing,
  mentionDepths: nothing,
  queueDepths: nothing,
  insertAuditEvent: nothing,
  keepExpired: nothing,
  endWaits: nothing,
  endLongWaits: nothing,
};
