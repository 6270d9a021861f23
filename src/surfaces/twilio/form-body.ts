import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';
import { checkBody } from '../http/input/text-rules.js';
import { badParameter } from './errors.js';

/** Pairs of one form; a send has some twenty parameters and ten files. */
const MOST_PAIRS = 200;

/** The parameters that may stand in a form more than once. */
const LISTS: ReadonlySet<string> = new Set(['MediaUrl', 'PersistentAction']);

/**
 * Request bodies are forms (application/x-www-form-urlencoded) in valid UTF-8, or absent. They become an object of texts, in
 * which what may be repeated is a list always.
 */
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
    // A POST without a body asks for nothing, and is told which parameters it lacks.
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
  if (pairs.length > MOST_PAIRS) throw new AppError('INVALID_REQUEST', `The form has more than ${MOST_PAIRS} fields.`);
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const known = form[name];
    if (LISTS.has(name)) form[name] = [...(Array.isArray(known) ? known : []), value];
    else if (known === undefined) form[name] = value;
    else throw badParameter(20422, name.slice(0, 64), 'must not be sent more than once');
  }
  // What is no UTF-8 within an escape becomes U+FFFD, as everywhere in URLs.
  const problem = checkBody(form, true);
  if (problem) throw problem;
  return Object.assign({}, form);
}
