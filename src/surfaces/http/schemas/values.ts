import { Type } from '@sinclair/typebox';

export const Id = Type.String({ format: 'uuid', examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'] });

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-11-21T08:30:00.000Z'],
});

export const NullableTimestamp = Type.Union([Timestamp, Type.Null()]);

export function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

export const NullableText = Type.Union([Type.String(), Type.Null()]);
