/** How the demo was started, for sentences about what to do next. */
export interface Wording {
  /** What a setting is called there. */
  readonly setting: (name: string) => string;
  /** The command that starts the demo with another setting. */
  readonly command: (name: string, value: string) => string;
  /** The command that brings the package of the MCP server. */
  readonly mcpPackage: string;
  /** The command that adds packages. */
  readonly install: (names: readonly string[]) => string;
  /** Whether the examples are there, for who wants to run one against the demo. */
  readonly hasExamples: boolean;
}

/** `npm start` in a checkout: settings are in the environment. */
export const ENVIRONMENT: Wording = {
  setting: (name) => name,
  command: (name, value) => `${name}=${value} npm start`,
  mcpPackage: 'npm install @modelcontextprotocol/server',
  install: (names) => `npm install ${names.join(' ')}`,
  hasExamples: true,
};
