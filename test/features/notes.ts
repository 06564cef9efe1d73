import { feature, redirect } from 'oauth-query/feature';
import { hiddenInputs, html } from 'oauth-query/pages';

/** `/oauth/note`: a note that each user keeps here. */
export const notes = (saved: Map<string, string>) =>
  feature({
    name: 'notes',
    start: ({ ownerRoute }) => ({
      routes: [
        ownerRoute({
          path: '/oauth/note',
          texts: { note: 'Your note', save: 'Save' },
          fields: { note: 'text' },
          GET: ({ owner, frame, path, hidden, account, cookie }) => {
            const { language } = frame;
            const field = html`<input name="note" value="${saved.get(owner.sub)}" />`;
            const button = html`<button>${language.text('save')}</button>`;
            const form = html`<form method="post" action="${path}">${hiddenInputs(hidden)}${field}${button}</form>`;
            return frame.respond({ title: language.text('note'), body: html`${account}${form}` }, { cookie });
          },
          POST: ({ owner, path }, form) => {
            saved.set(owner.sub, form.get('note') ?? '');
            return redirect(path, 303);
          },
        }),
      ],
    }),
  });
