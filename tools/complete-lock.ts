/**
 * Adds optional packages of other platforms to package-lock.json that the registry did not have when the file was
 * written: `npm ci` rejects a file without them, on every platform. Run it after `npm install`; it changes nothing if
 * nothing is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

const file = new URL('../package-lock.json', import.meta.url);
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, 'utf8'));

const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies).filter(
    ([name]) =>
      lock.packages[`${path}/node_modules/${name}`] === undefined &&
      lock.packages[`node_modules/${name}`] === undefined,
  ),
);
for (const [name, version] of missing) {
  // The names of such packages contain the platform; without these fields, npm would install them on every platform.
  const parts = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  lock.packages[`node_modules/${name}`] = {
    version,
    ...(cpu.length > 0 && { cpu }),
    dev: true,
    optional: true,
    ...(os.length > 0 && { os }),
  };
}
if (missing.length > 0) {
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
}
console.log(`${missing.length} optional packages of other platforms added to package-lock.json`);
