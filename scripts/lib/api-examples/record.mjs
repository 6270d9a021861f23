import { listOperations, playScenario, readPath } from './player.mjs';
import { accountWebhookSteps } from './scenario/account-webhooks.mjs';
import { audienceSteps } from './scenario/audience.mjs';
import { conversationSteps } from './scenario/conversation.mjs';
import { graphSteps } from './scenario/graph.mjs';
import { messageSteps } from './scenario/messages.mjs';
import { twilioSteps } from './scenario/twilio.mjs';
import { startExampleServer } from './server.mjs';
import { createStableValues } from './stable-values.mjs';

const SCENARIO = [
  ...messageSteps,
  ...accountWebhookSteps,
  ...conversationSteps,
  ...audienceSteps,
  ...twilioSteps,
  ...graphSteps,
];

/**
 * Plays the scenario against a server started for it.
 * @param {object} document the OpenAPI document
 * @returns {Promise<Map<string, object[]>>} the examples of each operation by its ID, successful ones first
 */
export async function recordExamples(document) {
  const startedAt = Math.floor(Date.now() / 1000) * 1000;
  const server = await startExampleServer();
  try {
    const values = createStableValues({ ...server, startedAt });
    const examples = new Map([...listOperations(document).keys()].map((id) => [id, []]));
    await playScenario(SCENARIO, {
      document,
      server,
      startedAt,
      results: await findFirstResults(server),
      onResult: (step, call, result) => {
        for (const [path, text] of Object.entries(step.mask ?? {})) values.mask(readPath(result, path), text);
        const example = call && cleanUp({ title: step.title, ...values.replace(shorten(call, step), nameStep(step)) });
        // Replaced even if it is not recorded, because it may be where an ID first appears.
        if (step.title) examples.get(step.operation).push(example);
      },
    });
    for (const list of examples.values()) list.sort((a, b) => isError(a) - isError(b));
    return examples;
  } finally {
    await server.stop();
  }
}

/** The keys and objects of the demo account, and a Verify service. */
async function findFirstResults({ demo, receiverUrl, runCommand }) {
  const [account] = await runCommand(['account', 'list', '--json']);
  const [channel] = await runCommand(['channel', 'list', '--json']);
  await runCommand(['sign-in', 'add', account.id, '--app-name', 'Acme', '--from', 'Acme', '--locale', 'en', '--json']);
  const [{ path }] = await runCommand(['sign-in', 'list', '--json']);
  return { ...demo, account, channel, service: { sid: path.split('/').pop() }, receiver: receiverUrl };
}

const isError = ({ response }) => response.status >= 400;
const nameStep = ({ operation, command, as, title }) => [operation ?? command.join(' '), as, title].join('/');

/** Applies what the step says about values that depend on the run. */
function shorten(call, { stable = {}, first = {} }) {
  const copy = structuredClone(call);
  for (const [path, members] of Object.entries(stable)) Object.assign(readPath(copy.response.body, path), members);
  for (const [path, count] of Object.entries(first)) readPath(copy.response.body, path).splice(count);
  return copy;
}

/** Removes absent members, in the request and the response only. */
function cleanUp({ title, request, response }) {
  const present = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  return { title, ...(Object.keys(present).length > 0 && { request: present }), response };
}
