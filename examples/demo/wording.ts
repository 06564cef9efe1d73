/** How the demo was started, for messages with instructions. */
export interface Wording {
  /** The name of a setting. */
  readonly setting: (name: string) => string;
  /** The command that starts the demo with a different setting. */
  readonly command: (name: string, value: string) => string;
  /** The command that installs missing packages. */
  readonly install: (names: readonly string[]) => string;
  /** Whether the examples are available. */
  readonly hasExamples: boolean;
}

/** `npm start` in a checkout: settings are environment variables. */
export const ENVIRONMENT: Wording = {
  setting: (name) => name,
  command: (name, value) => `${name}=${value} npm start`,
  install: (names) => `npm install ${names.join(' ')}`,
  hasExamples: true,
};
