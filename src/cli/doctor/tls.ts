import { isIP } from 'node:net';
import { connect, type ConnectionOptions, getCiphers } from 'node:tls';

/** Milliseconds for a handshake. */
const TIMEOUT = 5000;

/** RFC 9325 §4.2 recommends the first kind; the second has the same properties. All suites of TLS 1.3 are of this kind. */
const GOOD_SUITE = /^(?:ecdhe-(?:rsa|ecdsa)-(?:aes(?:128|256)-gcm|chacha20-poly1305)|tls_)/;

const WEAK_SUITES = getCiphers()
  .filter((name) => !GOOD_SUITE.test(name) && !/psk|null/.test(name))
  .map((name) => name.toUpperCase())
  .join(':');

/** What a handshake agreed on; `undefined` if there was none. Whose certificate it is does not matter here. */
const handshake = (url: URL, options: ConnectionOptions): Promise<string | undefined> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const socket = connect({
      host,
      port: Number(url.port || 443),
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
      ...options,
    });
    const end = (found?: string): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(TIMEOUT, end);
    socket.on('error', () => end());
    socket.on('secureConnect', () => end(`${socket.getProtocol() ?? ''} with ${socket.getCipher().standardName}`));
  });

/** An old version of TLS that a server accepts. OpenSSL only offers these at its lowest level. */
export const oldProtocol = (url: URL): Promise<string | undefined> =>
  handshake(url, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });

/** A weak cipher suite of TLS 1.2 that a server accepts. */
export const weakSuite = (url: URL): Promise<string | undefined> =>
  handshake(url, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: `${WEAK_SUITES}:@SECLEVEL=0` });
