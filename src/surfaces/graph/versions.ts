/** API version for paths without a version. */
const DEFAULT_VERSION = 'v26.0';

/** The Graph API allows URLs without a version, and clients rely on it (@great-detail/whatsapp 9). */
export function withGraphVersion(url: string): string {
  return WITHOUT_VERSION.test(url) ? `/graph/${DEFAULT_VERSION}${url.slice('/graph'.length)}` : url;
}

/** Matches paths with an ID (digits, or the UUID of a file) or `debug_token` where the version is expected. */
const WITHOUT_VERSION = /^\/graph\/(?:\d+|[\da-f]{8}-[\da-f-]{27}|debug_token)(?:[/?]|$)/i;
