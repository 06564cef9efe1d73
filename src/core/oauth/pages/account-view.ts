import { defined } from '../../base/defined.js';
import type { Owner } from '../records/owner.js';
import type { AccountView } from './views.js';

/** An owner as pages show them: an address that is the name is not shown twice. */
export const accountView = ({ sub, username = sub, email }: Owner): AccountView => ({
  username,
  ...defined({ email: email === username ? undefined : email }),
});
