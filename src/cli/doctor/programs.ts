import { error, recorderOf, warning } from './finding.js';
import { basic, describe, type Discovered, isJson, type Subject } from './subject.js';

export const PROGRAM_RULES = {
  'introspection-anonymous': error(
    'Introspection rejects a request without credentials.',
    'Otherwise any caller can try tokens and read their contents (RFC 7662 §2.1).',
    'Respond with 401; if a proxy adds its own credentials, remove them.',
  ),
  'introspection-unknown-client': error(
    'Introspection rejects unknown credentials.',
    'Otherwise any caller can try tokens and read their contents (RFC 7662 §2.1).',
    'Check the credentials before the token is looked up.',
  ),
  'revocation-anonymous': warning(
    'Revocation rejects a request without a client.',
    'A client must identify itself before its tokens can be revoked (RFC 7009 §2.1).',
    'Respond with invalid_client to a request without a client.',
  ),
  'device-unknown-client': error(
    'The device endpoint rejects an unknown client.',
    'Otherwise users could be asked to grant access to a client that does not exist (RFC 8628 §3.1).',
    'Respond with invalid_client as JSON.',
  ),
};

/** Checks the other endpoints for programs, without credentials and with wrong ones. */
export const checkPrograms = async (subject: Subject, { endpoints }: Discovered): Promise<void> => {
  const record = recorderOf(PROGRAM_RULES, subject.findings);
  const form = { token: 'an-unknown-token' };
  const {
    introspection_endpoint: introspection,
    revocation_endpoint: revocation,
    device_authorization_endpoint: device,
  } = endpoints;
  const isRefused = async (url: URL, sent: object, headers = {}): Promise<string | false> => {
    const answer = await subject.probe.ask(url, { form: { ...sent }, headers });
    return (answer.status < 400 || answer.status >= 500) && `it is answered with ${describe(answer)}`;
  };
  if (introspection !== undefined) {
    record('introspection-anonymous', await isRefused(introspection, form));
    record(
      'introspection-unknown-client',
      await isRefused(introspection, form, basic(subject.unknownClient, 'an unknown secret')),
    );
  }
  if (revocation !== undefined) record('revocation-anonymous', await isRefused(revocation, form));
  if (device !== undefined) {
    const answer = await subject.probe.ask(device, { form: { client_id: subject.unknownClient } });
    const isFine = [400, 401].includes(answer.status) && isJson(answer);
    record('device-unknown-client', !isFine && `it is answered with ${describe(answer)}`);
  }
};
