import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { noteReplay } from '../http/idempotency-key.js';

/** The answer of a success: `{ success: true, data }`. */
export function answer<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data }, { description: 'Done.' });
}

/** A success in the shape of `answer`. */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

/** As `ok`, of what is done once however often it is asked: a repetition is told that it is one. */
export function okOnce<T>(reply: FastifyReply, isRepeated: boolean, data: T) {
  if (isRepeated) noteReplay(reply);
  return ok(data);
}

/** The data of an answer that only tells in words what was done. */
export const DoneData = Type.Object({ message: Type.String() });

/** A success whose data is `DoneData`. */
export function done(message: string) {
  return ok({ message });
}
