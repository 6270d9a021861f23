import type { Endpoint, Standing } from './endpoint.js';

/**
 * Tries under way in multiples of `concurrency`, beyond which new endpoints, and then all, must wait. An endpoint that
 * hangs gives its slot back to its kind before its try ends, so those under way may be more than all slots together.
 */
const MAX_FOR_NEW = 2;
const MAX_FOR_ALL = 8;

/** How many deliveries of a webhook are to be claimed. */
export interface ClaimWish {
  webhookId: string;
  count: number;
}

export interface ClaimPlan {
  wishes: ClaimWish[];
  /** Whether an endpoint got less than it could take, for want of slots. */
  short: boolean;
}

/**
 * Shares free slots out among endpoints with due deliveries, those that were served longest ago first. Steady endpoints
 * have `concurrency` slots, new ones and those in trouble a quarter each: a steady one finds a slot although a thousand
 * others hang.
 * @param all every endpoint with tries under way, the due ones among them
 * @param due by webhook
 * @param now milliseconds of the endpoints' clock
 */
export function planClaims(
  all: Iterable<Endpoint>,
  due: Iterable<readonly [webhookId: string, endpoint: Endpoint]>,
  { concurrency, now }: { concurrency: number; now: number },
): ClaimPlan {
  const quarter = Math.max(1, Math.floor(concurrency / 4));
  const underWay: Record<Standing, number> = { steady: 0, new: 0, trouble: 0 };
  for (const endpoint of all) underWay[endpoint.standing(now)] += endpoint.underWay;
  const unsteady = underWay.new + underWay.trouble;
  const left: Record<Standing, number> = {
    steady: concurrency - underWay.steady,
    new: Math.min(quarter - underWay.new, concurrency * MAX_FOR_NEW - unsteady),
    trouble: quarter - underWay.trouble,
  };
  let altogether = concurrency * MAX_FOR_ALL - underWay.steady - unsteady;
  const waiting: Record<Standing, { webhookId: string; endpoint: Endpoint; free: number }[]> = {
    steady: [],
    new: [],
    trouble: [],
  };
  for (const [webhookId, endpoint] of due) {
    const free = endpoint.free(now);
    if (free > 0) waiting[endpoint.standing(now)].push({ webhookId, endpoint, free });
  }
  const wishes: ClaimWish[] = [];
  let short = false;
  for (const standing of ['steady', 'new', 'trouble'] as const) {
    const line = waiting[standing].sort((a, b) => a.endpoint.servedAt - b.endpoint.servedAt);
    let slots = Math.min(left[standing], altogether);
    for (const [index, { webhookId, free }] of line.entries()) {
      // What is left is shared among those who are left; each gets one as long as there is one.
      const count = Math.min(free, Math.max(1, Math.floor(slots / (line.length - index))), slots);
      short ||= count < free;
      if (count <= 0) break;
      wishes.push({ webhookId, count });
      slots -= count;
      altogether -= count;
    }
  }
  return { wishes, short };
}
