/** The endpoints that browsers open. They are loaded together, when the first of them is requested. */
export { authorize } from './authorize.js';
export { deviceVerification, deviceVerificationForm } from './device-verification.js';
export { grantsForm, grantsPage } from './grants.js';
