import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../../platform/errors/app-error.js';
import { checkBody } from './text-rules.js';

/**
 * Bodies with another media type, charset or Content-Encoding get 415. An empty body counts as absent, regardless of its
 * Content-Type.
 */
export const jsonBody = plugin(
  async (app: FastifyInstance) => {
    const parse = app.getDefaultJsonParser('error', 'error');
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
      if (bytes.length === 0) return done(null, undefined);
      if (isEncoded(request)) return done(new AppError('UNSUPPORTED_MEDIA_TYPE', ENCODED));
      if (!isDeclaredUtf8(request)) return done(new AppError('UNSUPPORTED_MEDIA_TYPE', CHARSET));
      if (!isUtf8(bytes)) return done(new AppError('INVALID_REQUEST', 'The request body is not valid UTF-8.'));
      const text = bytes.toString('utf8');
      void parse(request, text, (error, body) => {
        if (error) done(new AppError('INVALID_REQUEST', describeProblem(text)));
        else done(checkBody(body, text.includes('\\u') && !validatesTexts(request)), body);
      });
    });
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
      if (bytes.length === 0) return done(null, undefined);
      done(new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request body must have Content-Type application/json.'));
    });
    // Fastify would refuse a malformed media type even without a body. Replacing it with a generic media type leaves the
    // decision to the parser of this plugin.
    app.addHook('onRequest', (request, _reply, done) => {
      const { headers } = request;
      const type = headers['content-type'];
      if (type !== undefined && type !== 'application/json' && !MEDIA_TYPE.test(type)) {
        headers['content-type'] = 'application/octet-stream';
      }
      done();
    });
  },
  { name: 'json-body' },
);

function validatesTexts({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { checksTexts?: boolean }).checksTexts === true;
}

const ENCODED = 'The request body must not be compressed: it must come without Content-Encoding.';

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && !/^\s*(identity\s*)?$/i.test(encoding);
}

const CHARSET = 'The request body must be in UTF-8, and its Content-Type must name no other charset.';

/** Returns whether the Content-Type names no charset (JSON has none, RFC 8259 §11), or names UTF-8 or its subset US-ASCII. */
function isDeclaredUtf8({ headers }: FastifyRequest): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
}

/** Matches type/subtype (RFC 9110 §8.3.1), followed by any parameters. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

function describeProblem(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return 'The request body is not valid JSON.';
  }
  return 'The request body must not have the keys __proto__ or constructor.prototype.';
}
