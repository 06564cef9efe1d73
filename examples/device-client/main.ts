/**
 * A program for a terminal that does what a television would do:
 * npx tsx --tsconfig tsconfig.json examples/device-client/main.ts [issuer] [client_id] [what to ask for with the token]
 */
import { setTimeout } from 'node:timers/promises';
import { authorizeDevice } from './device-flow.js';

const [issuer = 'http://127.0.0.1:3000', client_id = 'tv', resource = `${issuer}/me`] = process.argv.slice(2);

try {
  const token = await authorizeDevice({
    issuer,
    client_id,
    show: ({ userCode, address, fingerprint }) => {
      console.log(`Open ${address} and type ${userCode}\nBoth screens have to show ${fingerprint}`);
    },
    wait: (seconds) => setTimeout(seconds * 1000),
  });
  const answer = await fetch(resource, { headers: { authorization: `Bearer ${token}` } });
  console.log(await answer.text());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
