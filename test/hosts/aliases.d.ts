/** The older major versions are installed in addition to the newer ones; the parts we use have the same types. */
declare module 'express4' {
  export { default } from 'express';
}

declare module 'koa2' {
  export { default } from 'koa';
}
