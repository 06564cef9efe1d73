import { oauthQuery } from 'oauth-query/node';
import { selfRegistration, type SelfRegistrationOptions } from 'oauth-query/self-registration';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/stores/memory.js';
import { everyRow } from '../../rows.js';

const secret = 'a secret of the test that has 32 characters';

const start = (options: SelfRegistrationOptions = {}, more: object = {}): unknown =>
  oauthQuery({
    ...{ store: memoryStore(), secret, onWarning: () => undefined },
    scopes: { read: 'Read', introspect: 'Look at tokens' },
    ...more,
    features: [selfRegistration(options)],
  });

/** Wrong options, and what the sentence says. */
const WRONG: readonly (readonly [options: unknown, says: string])[] = [
  [7, 'selfRegistration: options must be an object of options'],
  [{ lifetimes: 1 }, 'selfRegistration: options.lifetimes is unknown. Known are scopes, redirectSchemes, isDenied.'],
  [{ scopes: 'read' }, 'options.scopes must be an array of scopes'],
  [{ scopes: ['nothing'] }, 'selfRegistration: options.scopes names "nothing", which options.scopes does not have'],
  [{ scopes: ['introspect'] }, 'which would let any client introspect every token'],
  [{ scopes: undefined }, 'options.scopes is undefined'],
  [{ redirectSchemes: ['https'] }, 'options.redirectSchemes[0]: https is not a valid app scheme'],
  [{ redirectSchemes: ['javascript'] }, 'options.redirectSchemes[0]: javascript is not a valid app scheme'],
  [{ redirectSchemes: ['cursor:'] }, "must be a scheme such as 'cursor', in lower case and without a colon"],
  [{ redirectSchemes: 'cursor' }, 'options.redirectSchemes must be an array of schemes'],
  [{ isDenied: ['x'] }, 'options.isDenied must be a function of the registration_id'],
  [{ isDenied: undefined }, 'options.isDenied is undefined'],
];

test('a wrong option is a TypeError that names it', () =>
  everyRow(WRONG, ([options, says]) => {
    expect(() => start(options as SelfRegistrationOptions)).toThrow(TypeError);
    expect(() => start(options as SelfRegistrationOptions)).toThrow(says);
  }));

test('a server that cannot have such clients does not start', () => {
  expect(() => start()).not.toThrow();
  expect(() =>
    oauthQuery({ store: memoryStore(), onWarning: () => undefined, features: [selfRegistration()] }),
  ).toThrow('selfRegistration() needs options.secret');
  expect(() => start({}, { grants: ['client_credentials'] })).toThrow(
    'selfRegistration() needs the grant authorization_code',
  );
});

test('the option of earlier versions says what to write', () => {
  const options = { store: memoryStore(), registration: {} };
  expect(() => oauthQuery(options as object)).toThrow(
    'options.registration is now an element of options.features: features: [selfRegistration()]',
  );
});
