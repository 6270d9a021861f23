import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { markReplayed } from '../http/idempotency-key.js';

export function answer<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data }, { description: 'Done.' });
}

export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

export function okOnce<T>(reply: FastifyReply, isRepeated: boolean, data: T) {
  if (isRepeated) markReplayed(reply);
  return ok(data);
}

export const DoneData = Type.Object({ message: Type.String() });

export function done(message: string) {
  return ok({ message });
}
