import type { Client } from '../hosts.js';

/** An OpenAPI document as a program reads it that generates clients: nothing of it is known but its own words. */

export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaObject[];
  readonly oneOf?: readonly SchemaObject[];
  readonly allOf?: readonly SchemaObject[];
  readonly items?: SchemaObject;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly patternProperties?: Readonly<Record<string, SchemaObject>>;
  readonly deprecated?: boolean;
  readonly 'x-deprecated-values'?: readonly string[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: SchemaObject;
}

interface Content {
  readonly [media: string]: {
    readonly schema?: SchemaObject;
    readonly encoding?: Readonly<Record<string, { readonly style: string; readonly explode: boolean }>>;
  };
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly object[];
  readonly parameters?: readonly (ParameterObject | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', OperationObject>>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export const fetchDocument = async (client: Client, path = '/api/openapi.json'): Promise<OpenApi> =>
  (await client.get(path)).json as unknown as OpenApi; // A validator judges that it is one.

/** What a pointer of the document leads to. */
export const lookUp = (document: OpenApi, pointer: string): unknown =>
  pointer
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document); // A wrong one gives `undefined`.

/** Resolves a reference, and adds its sibling members. */
export const resolve = <T extends object>(document: OpenApi, value: T | { readonly $ref: string }): T => {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const { $ref, ...beside } = value;
  return { ...resolve<T>(document, lookUp(document, $ref) as T), ...beside };
};

export const parametersOf = (document: OpenApi, operation: OperationObject): readonly ParameterObject[] =>
  (operation.parameters ?? []).map((parameter) => resolve<ParameterObject>(document, parameter));

/** Writes a value the way the parameter says: this is all that a generated client knows about it. */
export const serialise = ({ name, style = 'form', explode = style === 'form' }: ParameterObject, value: unknown) => {
  const texts = new URLSearchParams();
  if (Array.isArray(value)) {
    const separator = { pipeDelimited: '|', spaceDelimited: ' ', form: ',' }[style] ?? ',';
    if (explode) for (const one of value) texts.append(name, String(one));
    else texts.append(name, value.join(separator));
  } else if (typeof value === 'object' && value !== null) {
    if (style !== 'form' || !explode) throw new Error(`No test needs ${name} in style ${style}.`);
    for (const [key, one] of Object.entries(value)) texts.append(key, String(one));
  } else texts.append(name, String(value));
  return texts;
};
