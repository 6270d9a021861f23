import { describe, expect, it } from 'vitest';
import { resolveLocale } from '../../../src/features/contacts/locale.js';

describe('the language and time zone of a number', () => {
  it.each([
    ['33199000001', 'fr', 'Europe/Paris'],
    ['551130000000', 'pt', 'America/Sao_Paulo'],
    ['17875550123', 'es', 'America/Puerto_Rico'],
    ['14165550123', 'en', 'America/Toronto'],
    // Toll-free numbers may be anywhere in North America, and mobile numbers anywhere in Australia.
    ['18005550123', 'en', 'America/New_York'],
    ['61491570006', 'en', 'Australia/Sydney'],
    // The area has two time zones, and Sydney is in neither.
    ['61862000000', 'en', 'Australia/Adelaide'],
  ])('of %s are %s and %s', (phone, language, timeZone) => {
    expect(resolveLocale({ phone, language: null, timeZone: null })).toEqual({
      language: { value: language, source: 'number' },
      timeZone: { value: timeZone, source: 'number' },
    });
  });

  it('are unknown for a satellite phone', () => {
    expect(resolveLocale({ phone: '8816000000', language: null, timeZone: null })).toEqual({
      language: null,
      timeZone: null,
    });
  });

  it('yield to the values that were set', () => {
    expect(resolveLocale({ phone: '33199000001', language: 'br', timeZone: 'Indian/Reunion' })).toEqual({
      language: { value: 'br', source: 'set' },
      timeZone: { value: 'Indian/Reunion', source: 'set' },
    });
  });
});
