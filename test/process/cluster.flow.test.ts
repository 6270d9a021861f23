import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { findFreePort } from '../support/processes/free-port.js';
import { listMembers, type MemberPid, readProcessCounts, waitForReplacement } from '../support/processes/members.js';
import { runToEnd } from '../support/processes/run-to-end.js';
import { PROJECT_FOLDER, type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { waitFor } from '../support/wait-for.js';

interface Demo {
  surfaceA: { apiKey: string };
  surfaceB: { apiKey: string; apiSecret: string; channelId: string };
  console: { signInUrl: string };
}

describe('a start with PROCESSES=3', () => {
  const dataDir = openFolder('heliograph-several-flow-');
  let server: ServerProcess;
  let metricsPort: string;
  let demo: Demo;
  beforeAll(async () => {
    metricsPort = String(await findFreePort());
    server = await startServerProcess({
      settings: {
        DATA_DIR: dataDir,
        PROCESSES: '3',
        DATABASE_POOL_SIZE: '15',
        RATE_LIMIT_PER_SECOND: '0',
        METRICS_PORT: metricsPort,
      },
    });
    await waitFor('all processes to be ready', async () => (await readProcessCounts(server)).ready === 3);
    demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  });
  afterAll(async () => {
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Makes each request on a new connection, so that the serving processes take turns. */
  const call = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(server.baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { connection: 'close', 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('waits in a serving process for the carrier response that the sending process gets', async () => {
    const { apiKey, apiSecret, channelId } = demo.surfaceB;
    const headers = { 'X-API-Key': apiKey, 'X-API-Secret': apiSecret, 'X-Channel-Id': channelId };
    const responses = await Promise.all(
      Array.from({ length: 6 }, () =>
        call('/api/v1/messages/template', headers, {
          to: '15005550107',
          templateName: 'hello_world',
          language: 'en_US',
        }),
      ),
    );
    const bodies = (await Promise.all(responses.map((response) => response.json()))) as {
      data?: { status?: string };
    }[];
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const { data } of bodies) expect(data?.status).toBe('sent');
  });

  it('notifies console pages connected to any process about changes in other processes', async () => {
    const link = await call(
      '/admin/v1/session/link',
      { origin: server.baseUrl },
      {
        token: demo.console.signInUrl.split('#token=')[1],
      },
    );
    const cookie = link.headers.getSetCookie()[0]?.split(';')[0] as string;
    const abort = new AbortController();
    const openPage = async () => {
      const response = await fetch(`${server.baseUrl}/admin/v1/live`, { headers: { cookie }, signal: abort.signal });
      expect(response.status).toBe(200);
      const topics = new Set<string>();
      const read = async () => {
        let text = '';
        for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
          text += chunk;
          // A chunk of the stream may end in the middle of a line.
          for (const [, data] of text.matchAll(/^data: ?(\{.*\})\r?\n/gm)) {
            for (const topic of JSON.parse(data as string).topics) topics.add(topic);
          }
        }
      };
      read().catch(() => undefined);
      return topics;
    };
    // The test opens more pages than there are serving processes, so that each process serves at least one.
    const pages = await Promise.all(Array.from({ length: 4 }, openPage));
    const sendResponse = await sendOne();
    expect(sendResponse.status).toBe(200);
    await waitFor('every page to be notified', () => pages.every((topics) => topics.has('messages')));
    abort.abort();
  });

  it('serves the metrics of all processes on one port, with counters that never decrease', async () => {
    const { length: sentCount } = await Promise.all(Array.from({ length: 20 }, sendOne));
    expect(sentCount).toBe(20);
    const metricsBefore = await readMetrics();
    const accepted = sum(metricsBefore, 'heliograph_messages_accepted_total');
    expect(accepted).toBeGreaterThanOrEqual(20);
    expect(sum(metricsBefore, 'heliograph_carrier_submissions_total')).toBeGreaterThan(0);
    expect(metricsBefore).toContain('heliograph_processes{state="ready"} 3');
    for (const number of ['0', '1', '2', '3']) {
      expect(metricsBefore).toMatch(new RegExp(`process_resident_memory_bytes\\{process="${number}"\\} \\d`));
    }
    expect(metricsBefore.match(/^heliograph_queue_messages\{lane="urgent"\} /gm)).toHaveLength(1);
    expect(metricsBefore).toMatch(/^heliograph_build_info\{version="[^"]+",role="worker",process="1"\} 1$/m);

    const killed = (await listMembers(server))[1] as MemberPid;
    process.kill(killed.pid, 'SIGKILL');
    await waitForReplacement(server, killed);
    const metricsAfter = await readMetrics();
    expect(sum(metricsAfter, 'heliograph_messages_accepted_total')).toBe(accepted);
    expect(metricsAfter).toContain('heliograph_process_deaths_total 1');
    await sendOne();
    const counts: number[] = [];
    // If a process responds late, its previous metrics are used instead.
    await waitFor('the count of one more', async () => {
      counts.push(sum(await readMetrics(), 'heliograph_messages_accepted_total'));
      return counts.at(-1) === accepted + 1;
    });
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(accepted);

    // Restarted processes report their final counters before they exit.
    server.process.kill('SIGHUP');
    await waitFor('all processes to be restarted', () => server.output().includes('all processes were restarted'));
    expect(sum(await readMetrics(), 'heliograph_messages_accepted_total')).toBe(accepted + 1);
  });

  it('appears in heliograph doctor and in the log', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli/main.js', 'doctor', '--json'], {
      cwd: PROJECT_FOLDER,
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    });
    const { findings } = JSON.parse(stdout) as { findings: { check: string; severity: string; text: string }[] };
    expect(findings.find(({ check }) => check === 'processes.connected')).toMatchObject({
      severity: 'ok',
      text: expect.stringMatching(
        /^3 of 3 processes are connected: 1 sends \(\d+ connections?\), 2 serves .+ 3 serves /,
      ),
    });
    const lines = server
      .output()
      .split('\n')
      // The last line of the output may be incomplete.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { process?: number; msg: string });
    expect(new Set(lines.map(({ process: number }) => number))).toEqual(new Set([undefined, 1, 2, 3]));
    expect(lines.filter(({ msg }) => msg.startsWith('Heliograph listens on')).map(({ msg }) => msg)).toEqual([
      `Heliograph listens on ${server.baseUrl} with 3 processes, of which 1 sends`,
    ]);
  });

  it('rejects a second start on the same data folder', async () => {
    const second = await runToEnd({ DATA_DIR: dataDir, PROCESSES: '2', PORT: String(await findFreePort()) });
    expect(second.code).toBe(1);
    expect(second.output).toContain(`Heliograph is already running on the data folder ${dataDir}.`);
  });

  function sendOne() {
    return call(
      '/v2/send',
      { authorization: `Bearer ${demo.surfaceA.apiKey}` },
      { to: '15005550100', from: 'Several', channel: 'sms', message: 'Who counts it?' },
    );
  }

  async function readMetrics(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(response.status).toBe(200);
    return await response.text();
  }
});

function sum(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))];
  return values.reduce((total, [, value]) => total + Number(value), 0);
}
