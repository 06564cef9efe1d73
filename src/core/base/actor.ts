/** Who acts for the owner of a token (RFC 8693 §4.1). */
export interface Actor {
  /** The actor: `client:` and its `client_id`, or with `iss` an actor that another server knows. */
  readonly sub?: string;
  /** The server that knows the actor, if it is another one. */
  readonly iss?: string;
  /** The client that acts. */
  readonly client_id?: string;
  /** Who acted before. */
  readonly act?: Actor;
}

/** Another server may have written it. */
const MAX_ACTORS = 16;

/** Whether a value is an actor. One that is not must not be ignored: a guard may refuse actors. */
export const isActor = (given: unknown, depth = MAX_ACTORS): given is Actor => {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || depth === 0) return false;
  const { sub, iss, client_id, act }: Readonly<Partial<Record<keyof Actor, unknown>>> = given;
  return (
    [sub, iss, client_id].every((one) => one === undefined || typeof one === 'string') &&
    (act === undefined || isActor(act, depth - 1))
  );
};
