/** The `client_id` of personal tokens, in events, lists and introspection. */
export const PERSONAL_TOKENS = 'personal-tokens';
