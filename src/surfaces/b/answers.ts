import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { markReplayed } from '../http/idempotency-key.js';

/** The answer schema of a success: `{ success: true, data }`. */
export function answer<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data }, { description: 'Done.' });
}

/** A success in the shape of `answer`. */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

/** Like `ok`, and marks the answer if it repeats an earlier one with the same idempotency key. */
export function okOnce<T>(reply: FastifyReply, isRepeated: boolean, data: T) {
  if (isRepeated) markReplayed(reply);
  return ok(data);
}

/** For endpoints whose answer is only a sentence. */
export const DoneData = Type.Object({ message: Type.String() });

/** A success whose data is `DoneData`. */
export function done(message: string) {
  return ok({ message });
}
