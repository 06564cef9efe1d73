import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { type Host, oneHostEach, type RunningHost } from '../hosts.js';
import { endWithTest } from './listen.js';

const certificate = async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { key, cert };
};

/** Passes a request on as it is. */
const pass = (incoming: IncomingMessage, outgoing: ServerResponse, origin: string): void => {
  const { method, url, headers } = incoming;
  const forwarded = request(new URL(url ?? '', origin), { method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
};

/**
 * Two instances of a site that share a store, behind a proxy that speaks TLS with a self-signed certificate and sends them requests in turns. What a browser, a
 * client or a test does in one step is continued by the other instance.
 */
export const behindTls: Pick<Host, 'start'> & { readonly name: string } = {
  name: 'two instances behind TLS',
  start: async (setup = {}): Promise<RunningHost> => {
    const [host] = oneHostEach;
    const proxy = createServer({ ...(await certificate()), keepAliveTimeout: 0 });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo; // It listens on a port and not on a pipe.
    const base = `https://127.0.0.1:${port}`;
    const options = { issuer: base, ...(typeof setup.options === 'function' ? setup.options(base) : setup.options) };
    const instances = [await host.start({ ...setup, options }), await host.start({ ...setup, options })] as const;
    let turn = 0;
    proxy.on('request', (incoming, outgoing) => {
      turn += 1;
      pass(incoming, outgoing, instances[turn % 2 === 0 ? 0 : 1].origin);
    });
    const close = async (): Promise<void> => {
      proxy.closeAllConnections();
      proxy.close();
      for (const instance of instances) await instance.close();
    };
    endWithTest(close);
    const [one, other] = instances;
    const { grants, issue, owners } = one;
    return {
      ...{ grants, issue, owners, close, base, origin: base },
      get errors() {
        return [...one.errors, ...other.errors];
      },
    };
  },
};
