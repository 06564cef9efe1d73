import type { MaybePromise } from '../base/ports.js';
import type { ScopeDefinition } from '../oauth/facts/settings.js';
import type { ClaimsPart, ReservedClaim } from './claims.js';

/**
 * A part of the server that is plugged in: an element of `options.features`, made by a function such as `query()` or by `feature()` of `oauth-query/feature`. What is in
 * it is for the server alone.
 */
export interface Feature<
  out Scope extends string = string,
  out C extends object = object,
  out Value = unknown,
  out Name extends string = string,
  out Needs extends string = string,
> {
  /** In errors and warnings. */
  readonly name: Name;
  /** The version of the port. */
  readonly port: 1;
  /** Never present: tells the compiler which scopes and claims it adds, what it provides, and what it needs. */
  readonly '~types'?: {
    /** Its scopes. */
    readonly scope: Scope;
    /** Its claims. */
    readonly claims: C;
    /** What it provides. */
    readonly value: Value;
    /** The names of what it needs. */
    readonly needs: Needs;
  };
}

/** A feature that adds no claims and provides nothing: a name, and perhaps scopes and what it needs. */
export type PlainFeature<Name extends string, Scope extends string = never, Needs extends string = never> = Feature<
  Scope,
  {},
  undefined,
  Name,
  Needs
>;

/** A feature that a verifier of another process may have: it checks tokens, or types their claims. */
export interface Verifying {
  /** Never present. */
  readonly '~verifies'?: true;
}

/** A function that makes a feature. */
export type FeatureOf<Value> = (...options: never) => Feature<string, object, Value>;

/** A function that makes a feature, with the name of what it makes, so that other features can need it. */
export interface FeatureMaker<Name extends string = string> {
  /** The name of the feature. */
  readonly feature: Name;
}

/** What the feature that a function makes provides. */
export type ValueOf<F> = F extends FeatureOf<infer Value> ? Value : never;

/** The name in it. */
export type NameIn<F> = F extends { readonly feature: infer Name extends string } ? Name : string;

/** Scopes of a feature, by name. */
export type FeatureScopes = Readonly<Record<string, string | ScopeDefinition>>;

/** What no claim may be: a name of the protocol, or a value that JSON does not have. `any` and open records are checked when a token is issued. */
type Allowed<C> = string extends keyof C
  ? unknown
  : [keyof C & ReservedClaim] extends [never]
    ? [Unwritable<C>] extends [never]
      ? unknown
      : { readonly 'a claim must be JSON, but is': Unwritable<C> }
    : { readonly 'a claim may not be called': keyof C & ReservedClaim };

type Json = string | number | boolean | null | undefined;
type Unwritable<T> = T extends Json
  ? never
  : T extends (...given: never) => unknown
    ? T
    : T extends { toJSON: unknown } | symbol | bigint
      ? T
      : T extends readonly (infer Item)[]
        ? Unwritable<Item>
        : T extends object
          ? { [K in keyof T]-?: Unwritable<T[K]> }[keyof T]
          : never;

/** Claims, if they may be ones. */
export type AllowedClaims<C extends object> = ClaimsPart<C> & {
  readonly of: (...given: never) => MaybePromise<Allowed<NoInfer<C>>>;
};

/** Distributes over features, so that an empty list has no scope. */
type ScopeOf<F> = F extends Feature<infer Scope> ? Scope : never;

/** The scopes of these features. */
export type ScopesOf<F extends readonly Feature[]> = ScopeOf<F[number]>;

/** Distributes over features, and not over what one of them adds. */
type Adds<F> = F extends Feature<string, infer C> ? (claims: C) => void : never;

/**
 * The claims of these features and of the application. All are optional: a token can be older than what adds them, and a function may leave some out.
 */
export type ClaimsOf<F extends readonly Feature[], Own extends object> =
  | Adds<F[number]>
  | ((claims: Own) => void) extends (claims: infer All) => void
  ? { readonly [Name in keyof All]?: All[Name] }
  : never;

type NeedOf<F> = F extends Feature<string, object, unknown, string, infer Needs> ? Needs : never;
type NeedsIn<F extends readonly Feature[]> = NeedOf<F[number]>;
type NameOf<F> = F extends Feature<string, object, unknown, infer Name> ? Name : never;
type NamesIn<F extends readonly Feature[]> = NameOf<F[number]>;

/** A list without a feature that another one needs does not compile. */
export type Complete<F extends readonly Feature[]> = [Exclude<NeedsIn<F>, NamesIn<F>>] extends [never]
  ? unknown
  : string extends NamesIn<F>
    ? unknown
    : { readonly 'missing feature': Exclude<NeedsIn<F>, NamesIn<F>> };
