const onFirstUse = <T>(load: () => T): (() => T) => {
  let loaded: T | undefined;
  return () => (loaded ??= load());
};

/**
 * Modules of Node, loaded when they are first used: an `import` would load them with this package, and with them all that
 * their names belong to, such as Web Crypto.
 */
export const nodeBuffer = onFirstUse(() => process.getBuiltinModule('node:buffer'));
export const nodeCrypto = onFirstUse(() => process.getBuiltinModule('node:crypto'));
export const nodeHttp = onFirstUse(() => process.getBuiltinModule('node:http'));
export const nodeNet = onFirstUse(() => process.getBuiltinModule('node:net'));
export const nodeStream = onFirstUse(() => process.getBuiltinModule('node:stream'));
