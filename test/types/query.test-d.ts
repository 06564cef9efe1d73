import { expectTypeOf } from 'vitest';
import type { Catalogue, CatalogueParams, ModuleName, ParamsOf } from '../../src/core/query/catalogue/index.js';
import { defineModule } from '../../src/core/query/descriptor/descriptor.js';
import type { ModuleDescriptor } from '../../src/core/query/descriptor/descriptor.js';

/** Compiled, never run: each statement fails the type check when the type read off a descriptor changes. */

// The shape of a table of handlers: a function per module, its parameters typed by the module's name.
type Handlers = { readonly [N in ModuleName]?: (request: { readonly params: ParamsOf<N> }) => unknown };
const handlers = (table: Handlers): Handlers => table;

// A name is one of 72, and nothing else.
expectTypeOf<'allpages'>().toExtend<ModuleName>();
expectTypeOf<ModuleName>().not.toEqualTypeOf<string>();
// @ts-expect-error there is no such module
expectTypeOf<ParamsOf<'nosuch'>>().toBeObject();

// A simple module: list, all kinds of presence.
expectTypeOf<ParamsOf<'allcategories'>>().toEqualTypeOf<{
  readonly dir: 'ascending' | 'descending';
  readonly limit: number;
  readonly prop: readonly ('hidden' | 'size')[];
  readonly from?: string;
  readonly continue?: string;
  readonly to?: string;
  readonly prefix?: string;
  readonly min?: number;
  readonly max?: number;
}>();

// A simple module: prop.
expectTypeOf<ParamsOf<'categoryinfo'>>().toEqualTypeOf<{ readonly continue?: string }>();
expectTypeOf<ParamsOf<'duplicatefiles'>>().toEqualTypeOf<{
  readonly limit: number;
  readonly dir: 'ascending' | 'descending';
  readonly localonly: boolean;
  readonly continue?: string;
}>();

// A simple module: meta.
expectTypeOf<ParamsOf<'linterstats'>>().toEqualTypeOf<{}>();
expectTypeOf<ParamsOf<'tokens'>>().toEqualTypeOf<{
  readonly type: readonly ('createaccount' | 'csrf' | 'login' | 'patrol' | 'rollback' | 'userrights' | 'watch')[];
}>();

// Several values without a default: an array that may be absent.
expectTypeOf<ParamsOf<'allpages'>['prtype']>().toEqualTypeOf<readonly ('edit' | 'move' | 'upload')[] | undefined>();
expectTypeOf<ParamsOf<'allpages'>['prlevel']>().toEqualTypeOf<
  readonly ('' | 'autoconfirmed' | 'sysop')[] | undefined
>();
expectTypeOf<ParamsOf<'revisions'>['slots']>().toEqualTypeOf<readonly 'main'[] | undefined>();
expectTypeOf<ParamsOf<'siteinfo'>['filteriw']>().toEqualTypeOf<'!local' | 'local' | undefined>();
expectTypeOf<'parsetree'>().toExtend<ParamsOf<'revisions'>['prop'][number]>();

// Numbers: namespaces, ids, integers, limits. Texts: users, times, titles.
expectTypeOf<ParamsOf<'allpages'>['namespace']>().toEqualTypeOf<number>();
expectTypeOf<ParamsOf<'recentchanges'>['namespace']>().toEqualTypeOf<readonly number[] | undefined>();
expectTypeOf<ParamsOf<'prefixsearch'>['namespace']>().toEqualTypeOf<readonly number[]>();
expectTypeOf<ParamsOf<'logevents'>['ids']>().toEqualTypeOf<readonly number[] | undefined>();
expectTypeOf<ParamsOf<'imageinfo'>['urlwidth']>().toEqualTypeOf<number>();
expectTypeOf<ParamsOf<'blocks'>['users']>().toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf<ParamsOf<'blocks'>['start']>().toEqualTypeOf<string | undefined>();
expectTypeOf<ParamsOf<'info'>['linkcontext']>().toEqualTypeOf<string>();

// Required, boolean, and the limit without a default.
expectTypeOf<ParamsOf<'search'>['search']>().toEqualTypeOf<string>();
expectTypeOf<ParamsOf<'allrevisions'>['generatetitles']>().toEqualTypeOf<boolean>();
expectTypeOf<ParamsOf<'allrevisions'>['limit']>().toEqualTypeOf<number | undefined>();
expectTypeOf<ParamsOf<'random'>['limit']>().toEqualTypeOf<number>();

// A templated name takes the values of its source; the template itself is no key.
expectTypeOf<ParamsOf<'revisions'>['contentformat-main']>().toEqualTypeOf<ParamsOf<'revisions'>['contentformat']>();
// @ts-expect-error the template is not a parameter
expectTypeOf<ParamsOf<'revisions'>['contentformat-{slot}']>().toBeString();

// Nothing widened to any: an `any` would make one of these keys vanish from the filter.
type Any<T> = 0 extends 1 & T ? true : false;
type Loose = {
  [N in ModuleName]: {
    [K in keyof CatalogueParams[N]]-?: Any<CatalogueParams[N][K]> extends true ? `${N}.${K & string}` : never;
  }[keyof CatalogueParams[N]];
}[ModuleName];
expectTypeOf<Loose>().toBeNever();
// Nor was a closed list widened to any text.
type OpenLists = {
  [N in ModuleName]: {
    [K in keyof Catalogue[N]['parameters']]: Catalogue[N]['parameters'][K] extends {
      readonly type: readonly (infer V)[];
    }
      ? string extends V
        ? `${N}.${K & string}`
        : never
      : never;
  }[keyof Catalogue[N]['parameters']];
}[ModuleName];
expectTypeOf<OpenLists>().toBeNever();

// A host's own module has the same types.
const photos = defineModule({
  name: 'photos',
  group: 'list',
  prefix: 'ph',
  parameters: {
    by: { type: 'user', required: true },
    size: { type: ['small', 'large'], default: 'small' },
    kinds: { type: ['raw', 'jpeg'], multi: true },
    labels: { type: 'string', multi: true },
    since: { type: 'timestamp' },
    hidden: { type: 'boolean' },
    'width-{kind}': { type: 'integer', templatevars: { kind: 'kinds' } },
    'note-{label}': { type: 'string', templatevars: { label: 'labels' } },
  },
});
type Photos = ParamsOf<typeof photos>;
expectTypeOf<Photos['by']>().toEqualTypeOf<string>();
expectTypeOf<Photos['size']>().toEqualTypeOf<'small' | 'large'>();
expectTypeOf<Photos['hidden']>().toEqualTypeOf<boolean>();
expectTypeOf<Photos['kinds']>().toEqualTypeOf<readonly ('raw' | 'jpeg')[] | undefined>();
expectTypeOf<Photos['width-raw']>().toEqualTypeOf<number | undefined>();
expectTypeOf<Photos['note-anything at all']>().toEqualTypeOf<string | undefined>();
// @ts-expect-error only the listed kinds fill the name
expectTypeOf<Photos['width-webp']>().toBeNumber();
expectTypeOf(photos).toExtend<ModuleDescriptor>();

// @ts-expect-error an unknown type
defineModule({ name: 'x', group: 'list', prefix: 'x', parameters: { a: { type: 'colour' } } });
// @ts-expect-error an unknown group
defineModule({ name: 'x', group: 'lists', prefix: 'x', parameters: {} });

// A handler that reads what is there compiles; one that reads something else does not.
handlers({
  allpages: ({ params }) => params.from?.toUpperCase() ?? params.limit.toFixed(),
  search: ({ params }) => params.search.length,
  recentchanges: ({ params }) => params.type.includes('edit'),
});
// @ts-expect-error `from` may be absent
handlers({ allpages: ({ params }) => params.from.toUpperCase() });
// @ts-expect-error there is no such parameter
handlers({ allpages: ({ params }) => params.frm });
// @ts-expect-error the parameter is a number
handlers({ allpages: ({ params }: { params: { limit: string } }) => params.limit });
// @ts-expect-error the value is none of the listed ones
handlers({ recentchanges: ({ params }) => params.type.includes('edits') });
// @ts-expect-error there is no such module
handlers({ allpagez: () => [] });
