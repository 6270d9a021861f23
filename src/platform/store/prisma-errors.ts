/** Codes of Prisma's client: https://www.prisma.io/docs/orm/reference/error-reference */
const UNIQUE_VIOLATION = 'P2002';
const MISSING_ROW = 'P2025';

/** Whether a write by Prisma's client was refused because another row has the same value of a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** Whether the row that Prisma's client was to change is not there. */
export function isMissingRow(error: unknown): boolean {
  return codeOf(error) === MISSING_ROW;
}

/** The SQLSTATE that PostgreSQL reported to Prisma's client. */
export function prismaSqlState(error: unknown): unknown {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: unknown } } };
  return (meta?.driverAdapterError?.cause as { originalCode?: unknown } | undefined)?.originalCode;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
