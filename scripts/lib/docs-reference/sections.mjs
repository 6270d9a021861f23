import { describeCommands } from './commands.mjs';
import { describeErrorShapes, describeErrors, describeFailures } from './errors.mjs';
import { describeEvents, listEvents } from './events.mjs';
import { describeScopes } from './scopes.mjs';
import { describeSettings } from './settings.mjs';

/** @returns {Promise<Map<string, Map<string, string>>>} pages of docs/reference/ with their generated sections */
export async function createSections() {
  return new Map([
    [
      'errors.md',
      new Map([
        ['shapes', describeErrorShapes()],
        ['requests', await describeErrors()],
        ['messages', await describeFailures('message')],
        ['attempts', await describeFailures('attempt')],
        ['fallbacks', await describeFailures('fallback')],
        ['files', await describeFailures('file')],
      ]),
    ],
    ['settings.md', new Map([['settings', await describeSettings()]])],
    ['commands.md', new Map([['commands', await describeCommands()]])],
    [
      'events.md',
      new Map([
        ['list', await listEvents()],
        ['payloads', await describeEvents()],
      ]),
    ],
    ['authentication.md', new Map([['scopes', await describeScopes()]])],
  ]);
}
