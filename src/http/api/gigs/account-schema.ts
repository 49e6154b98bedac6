import { platformField, userIdField, usernameField } from '../../../domain/fields.ts';

/** An account, as clients name it. */
export const accountShape = {
  platform: platformField('platform').describe('The platform of the account; `x` and `twitter` mean the same.'),
  platform_user_id: userIdField.describe('A Farcaster FID or an X user id; as a string if it has more than 15 digits.'),
  username: usernameField.describe('The handle, which is only a label.'),
};
