import { judgeOf } from './finding.js';
import { ProbeFailure } from './probe.js';
import { basic, describe, type Discovered, isJson, type Subject, tryAsk } from './subject.js';

export const PROGRAM_RULES = {
  'introspection-anonymous': {
    severity: 'error',
    holds: 'Introspection refuses who does not say who they are.',
    why: 'Otherwise anybody can try tokens, and read what stands behind them (RFC 7662 §2.1).',
    remedy: 'Answer 401; if a proxy adds credentials of its own, take that away.',
  },
  'introspection-unknown-client': {
    severity: 'error',
    holds: 'Introspection refuses credentials that nobody has.',
    why: 'Otherwise anybody can try tokens, and read what stands behind them (RFC 7662 §2.1).',
    remedy: 'Check the credentials before the token is looked up.',
  },
  'revocation-anonymous': {
    severity: 'warning',
    holds: 'Revocation refuses who does not say who they are.',
    why: 'A client must say which one it is before a token is ended in its name (RFC 7009 §2.1).',
    remedy: 'Answer invalid_client to a request without a client.',
  },
  'device-unknown-client': {
    severity: 'error',
    holds: 'The device endpoint refuses a client that nobody knows.',
    why: 'People could be asked to allow something to a client that does not exist (RFC 8628 §3.1).',
    remedy: 'Answer invalid_client as JSON.',
  },
} as const;

/** The endpoints for programs beside the token endpoint, without credentials and with wrong ones. */
export const checkPrograms = async (subject: Subject, { endpoints }: Discovered): Promise<void> => {
  const judge = judgeOf(PROGRAM_RULES, subject.findings);
  const form = { token: 'a-token-that-nobody-has' };
  const {
    introspection_endpoint: introspection,
    revocation_endpoint: revocation,
    device_authorization_endpoint: device,
  } = endpoints;
  const isRefused = async (url: URL, sent: object, headers = {}): Promise<string | false> => {
    const answer = await tryAsk(subject, url, { form: { ...sent }, headers });
    const isFine = !(answer instanceof ProbeFailure) && answer.status >= 400 && answer.status < 500;
    return !isFine && `it is answered with ${describe(answer)}`;
  };
  if (introspection !== undefined) {
    judge('introspection-anonymous', await isRefused(introspection, form));
    judge(
      'introspection-unknown-client',
      await isRefused(introspection, form, basic(subject.nobody, 'a secret that nobody has')),
    );
  }
  if (revocation !== undefined) judge('revocation-anonymous', await isRefused(revocation, form));
  if (device !== undefined) {
    const answer = await tryAsk(subject, device, { form: { client_id: subject.nobody } });
    const isFine = !(answer instanceof ProbeFailure) && [400, 401].includes(answer.status) && isJson(answer);
    judge('device-unknown-client', !isFine && `it is answered with ${describe(answer)}`);
  }
};
