/** The version that stands in addresses which the server makes of paths without one. */
const DEFAULT_VERSION = 'v26.0';

/**
 * The URL of a request with a version in it, where Meta's surface is asked without: the Graph API takes that, and clients send
 * it (@great-detail/whatsapp 9).
 */
export function withGraphVersion(url: string): string {
  return WITHOUT_VERSION.test(url) ? `/graph/${DEFAULT_VERSION}${url.slice('/graph'.length)}` : url;
}

/** What stands where a version would: an id of digits, that of a file, or the one path without an object. */
const WITHOUT_VERSION = /^\/graph\/(?:\d+|[\da-f]{8}-[\da-f-]{27}|debug_token)(?:[/?]|$)/i;
