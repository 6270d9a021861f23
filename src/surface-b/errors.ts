import type { ErrorRenderer } from '../http/errors.js';

/** Error body of Surface B: `details` lists each bad field and why, where fields are to blame. */
export const renderSurfaceB: ErrorRenderer = ({ code, message, fields }) => ({
  success: false,
  error:
    fields.length === 0
      ? { code, message }
      : { code, message, details: fields.map(({ field, rule }) => ({ field, message: rule })) },
});
