import { contradiction, type EnforcedRules } from '../../base/rules.js';
import { fail } from '../../base/schema.js';
import type { CheckedOptions } from './server-table.js';

/** Each rule about options of the server. @returns the sentence about the option that contradicts it; `undefined` if none does. */
const CHECKS: readonly ((options: CheckedOptions, rules: EnforcedRules) => string | undefined)[] = [
  // Any issuer that is configured has https, or is on loopback.
  ({ issuer }, { configuredIssuer: rule }) =>
    rule === undefined || issuer !== undefined
      ? undefined
      : contradiction('options.issuer is missing', rule, 'an https issuer', 'Set it to the URL of this server.'),
  ({ grants }, { excludedGrants: rule }) => {
    const name = grants.find((grant) => rule?.value.includes(grant));
    if (rule === undefined || name === undefined) return undefined;
    return contradiction(`options.grants has ${name}`, rule, 'a server without it', 'Remove it from the list.');
  },
  ({ features }, { boundTokens: rule }) => {
    const issuing = features.find(({ client }) => client !== undefined);
    return rule === undefined || issuing === undefined
      ? undefined
      : contradiction(
          `The feature ${issuing.name} issues tokens without a key`,
          rule,
          'that every token is bound to a key',
          'Omit it.',
        );
  },
  ({ allowLocalhostRedirects }, { exactRedirects: rule }) =>
    rule === undefined || !allowLocalhostRedirects
      ? undefined
      : contradiction(
          'options.allowLocalhostRedirects is true',
          rule,
          'redirect URIs as they are registered',
          'Omit it, and register http://127.0.0.1 for native apps.',
        ),
  ({ lifetimes }, { authorizationCode: rule }) => tooLong('authorizationCode', lifetimes.authorizationCode, rule),
  ({ lifetimes }, { codeReplayTolerance: rule }) => tooLong('codeReplayTolerance', lifetimes.codeReplayTolerance, rule),
];

const tooLong = (
  name: 'authorizationCode' | 'codeReplayTolerance',
  seconds: number,
  rule: EnforcedRules['authorizationCode'],
): string | undefined =>
  rule === undefined || seconds <= rule.value
    ? undefined
    : contradiction(
        `options.lifetimes.${name} is ${seconds}`,
        rule,
        rule.value === 0 ? '0' : `at most ${rule.value} seconds`,
        `Set it to ${rule.value}.`,
      );

/** @throws TypeError for the first option that contradicts a rule of a feature. */
export const checkRules = (options: CheckedOptions, rules: EnforcedRules): void => {
  for (const check of CHECKS) {
    const problem = check(options, rules);
    if (problem !== undefined) fail(problem);
  }
};
