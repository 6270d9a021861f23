import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether `requireVersion` was asked. */
    isVersionChecked: boolean;
  }
}

/** The version of a thing: another as soon as anything of it is another. Anything that is JSON. */
export function versionOf(thing: unknown): string {
  return hash('sha256', JSON.stringify(thing), 'base64url').slice(0, 16);
}

/**
 * Lets a change go on that was made of what is there now. To be asked in the transaction of the change, once nobody else can
 * change the thing.
 * @param version of the thing as it is now
 * @throws {AppError} CHANGED_MEANWHILE
 */
export function requireVersion(request: FastifyRequest, version: string): void {
  request.isVersionChecked = true;
  const given = request.headers['if-match'];
  if (given === undefined || given.trim() === '*') return;
  const tags = given.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));
  if (tags.includes(version)) return;
  throw new AppError(
    'CHANGED_MEANWHILE',
    'Somebody else has changed it since you opened it. Look at it as it is now, and change that.',
  );
}

/** An endpoint that says that it is versioned and does not look would let a change be lost: it fails wherever it is asked. */
export const versionsChecked = plugin(
  async (app: FastifyInstance) => {
    app.decorateRequest('isVersionChecked', false);
    app.addHook('preSerialization', (request, reply, payload, done) => {
      const { versioned } = request.routeOptions.config;
      const isForgotten = versioned && reply.statusCode < 300 && !request.isVersionChecked;
      if (isForgotten) return done(new Error(`${request.routeOptions.url} did not look at If-Match`) as never, payload);
      done(null, payload);
    });
  },
  { name: 'versions-checked' },
);
