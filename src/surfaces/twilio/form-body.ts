import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';
import { checkBody } from '../http/input/text-rules.js';
import { badParameter } from './errors.js';

/** Maximum number of parameters in a request, far more than a send's twenty parameters and ten files. */
const MAX_PAIRS = 200;

const LIST_FIELDS: ReadonlySet<string> = new Set(['MediaUrl', 'PersistentAction']);

/** Parses form bodies, with repeatable parameters as lists even if they are sent only once. */
export const formBody = plugin(
  async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer' },
      (request, bytes: Buffer, done) => {
        const encoding = request.headers['content-encoding'];
        if (encoding !== undefined && !/^\s*(identity\s*)?$/i.test(encoding)) {
          return done(new AppError('UNSUPPORTED_MEDIA_TYPE', 'The form must come without Content-Encoding.'));
        }
        try {
          done(null, readForm(bytes));
        } catch (error) {
          done(error as Error);
        }
      },
    );
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
      if (bytes.length === 0) return done(null, {});
      const type = 'application/x-www-form-urlencoded';
      done(new AppError('UNSUPPORTED_MEDIA_TYPE', `The request body must have Content-Type ${type}.`));
    });
    // With an empty object as body, validation can list the missing parameters of a POST without a body.
    app.addHook('preValidation', (request, _reply, done) => {
      if (request.method === 'POST' && request.body === undefined) request.body = {};
      done();
    });
  },
  { name: 'form-body' },
);

function readForm(bytes: Buffer): Record<string, string | string[]> {
  if (!isUtf8(bytes)) throw new AppError('INVALID_REQUEST', 'The request body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw new AppError('INVALID_REQUEST', 'The form is not percent-encoded.');
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length > MAX_PAIRS) throw new AppError('INVALID_REQUEST', `The form has more than ${MAX_PAIRS} fields.`);
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const previous = form[name];
    if (LIST_FIELDS.has(name)) form[name] = [...(Array.isArray(previous) ? previous : []), value];
    else if (previous === undefined) form[name] = value;
    else throw badParameter(20422, name.slice(0, 64), 'must not be sent more than once');
  }
  // Invalid UTF-8 in percent escapes becomes U+FFFD, as is usual in URLs.
  const problem = checkBody(form, true);
  if (problem) throw problem;
  return Object.assign({}, form);
}
