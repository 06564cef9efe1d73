import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../servers/setting.js';

/** A self-signed certificate for `localhost` with a P-256 key, made by the program `openssl`. */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  try {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-keyout', key];
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...newKey, ...name, '-out', cert], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
