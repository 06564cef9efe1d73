import { isLoopbackHost } from '../core/base/addresses/loopback.js';
import type { SentRequest } from '../core/feature/host.js';
import { isPublicAddress } from './public-address.js';
import { type Network, publicNetwork, publicRequest } from './public-request.js';

const LOCALHOST = ['127.0.0.1', '::1'];

/** Servers on this machine may only be contacted by a server that is itself only on this machine. */
const networkOf = (issuer: string | undefined): Network => {
  const network = publicNetwork();
  if (issuer === undefined || !isLoopbackHost(new URL(issuer).hostname)) return network;
  return {
    ...network,
    resolve: async (host, signal) => (host === 'localhost' ? LOCALHOST : network.resolve(host, signal)),
    isAllowed: (address) => isLoopbackHost(address) || isLoopbackHost(`[${address}]`) || isPublicAddress(address),
  };
};

/** Sends requests to public servers, and reads no bodies. */
export const sender = (issuer: string | undefined) => {
  const network = networkOf(issuer);
  return async (address: string, sent: SentRequest, signal: AbortSignal): Promise<{ readonly status: number }> => {
    const response = await publicRequest(new URL(address), sent, network, signal);
    response.destroy();
    return { status: response.statusCode ?? 0 };
  };
};
