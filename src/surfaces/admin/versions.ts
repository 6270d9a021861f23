import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';

declare module 'fastify' {
  interface FastifyRequest {
    isVersionChecked: boolean;
  }
}

export function toVersion(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}

/**
 * Must be called in the transaction of the change, once the resource is locked.
 * @throws {AppError} CHANGED_MEANWHILE if the resource has changed since the caller read it
 */
export function requireVersion(request: FastifyRequest, version: string): void {
  request.isVersionChecked = true;
  const ifMatch = request.headers['if-match'];
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'));
  if (tags.includes(version)) return;
  throw new AppError(
    'CHANGED_MEANWHILE',
    'Somebody else has changed this since you opened it. Review the current version, then make your change again.',
  );
}

/** Fails every request to a versioned endpoint whose handler did not call `requireVersion`. */
export const versionsChecked = plugin(
  async (app: FastifyInstance) => {
    app.decorateRequest('isVersionChecked', false);
    app.addHook('preSerialization', (request, reply, payload, done) => {
      const { versioned } = request.routeOptions.config;
      const isUnchecked = versioned && reply.statusCode < 300 && !request.isVersionChecked;
      if (isUnchecked)
        return done(new Error(`${request.routeOptions.url} did not call requireVersion`) as never, payload);
      done(null, payload);
    });
  },
  { name: 'versions-checked' },
);
