/** Error codes of Prisma's client: https://www.prisma.io/docs/orm/reference/error-reference */
const UNIQUE_VIOLATION = 'P2002';
const MISSING_ROW = 'P2025';

export function isUniqueViolation(error: unknown): boolean {
  return findCode(error) === UNIQUE_VIOLATION;
}

export function isMissingRow(error: unknown): boolean {
  return findCode(error) === MISSING_ROW;
}

export function prismaSqlState(error: unknown): unknown {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: unknown } } };
  return (meta?.driverAdapterError?.cause as { originalCode?: unknown } | undefined)?.originalCode;
}

function findCode(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
