import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { appsQuery } from '../../api/account/keys.js';
import { newestMessageQuery } from '../../api/messages.js';
import { useSecrets } from '../../browser/secrets.js';
import { useAccount, useAccountId, useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink } from '../../ui/basics/links.js';
import { Section } from '../../ui/layout/section.js';
import classes from './first-steps.module.css';

const words = text.firstSteps;

/** Accounts whose unfinished checklist this tab has shown; only these accounts also get to see the completed checklist. */
const accountsWithChecklist = new Set<string>();

export function FirstSteps() {
  const accountId = useAccountId();
  const onlySimulated = useAccount()?.onlySimulated ?? false;
  const mayCall = useCan('developer');
  const [isHidden, setHidden] = useState(false);
  const { data: apps } = useQuery({ ...appsQuery(accountId), enabled: mayCall });
  const isUnused = apps !== undefined && !apps.some(({ lastUsedAt }) => lastUsedAt);
  const { data: newestMessage } = useQuery({
    ...newestMessageQuery(accountId),
    enabled: mayCall && (isUnused || accountsWithChecklist.has(accountId)),
  });
  const appSecret = useSecrets(accountId).find(({ secret }) => secret === undefined);
  if (!mayCall || !apps || newestMessage === undefined || isHidden) return null;
  const app = apps.find(({ revokedAt }) => revokedAt === null);
  const hasSent = newestMessage !== null;
  // The last step of the checklist is also complete if the message failed.
  const isDone = hasSent && !IN_PROGRESS.includes(newestMessage.status);
  if (!hasSent && isUnused) accountsWithChecklist.add(accountId);
  if (!accountsWithChecklist.has(accountId)) return null;
  return (
    <Section title={isDone ? words.allDone : words.title} lead={introText(isDone, onlySimulated)}>
      <ol className={classes.steps}>
        <Step
          done={app !== undefined || hasSent}
          number={1}
          title={words.app}
          hint={appHint(app?.name, appSecret?.name)}
        >
          {!app && !hasSent && (
            <ButtonLink to="/a/$accountId/developers/apps" params={{ accountId }} search={{ create: 'yes' }}>
              {text.apps.create}
            </ButtonLink>
          )}
        </Step>
        <Step done={hasSent} number={2} title={words.send} hint={words.sendHint}>
          {app && !hasSent && (
            <ButtonLink
              to="/a/$accountId/developers/playground"
              params={{ accountId }}
              search={{ operation: 'send', with: appSecret?.id ?? app.id }}
            >
              {words.open}
            </ButtonLink>
          )}
        </Step>
        <Step done={isDone} number={3} title={words.watch} hint={words.watchHint}>
          {newestMessage && (
            <ButtonLink
              to="/a/$accountId/messages/$messageId"
              params={{ accountId, messageId: newestMessage.id }}
              variant="default"
              size="xs"
            >
              {words.showMessage}
            </ButtonLink>
          )}
        </Step>
      </ol>
      {isDone && (
        <Group justify="flex-end">
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              accountsWithChecklist.delete(accountId);
              setHidden(true);
            }}
          >
            {words.hide}
          </Button>
        </Group>
      )}
    </Section>
  );
}

const IN_PROGRESS: readonly string[] = ['queued', 'sending', 'sent'];

function introText(isOver: boolean, onlySimulated: boolean): string {
  if (isOver) return words.allDoneLead;
  return onlySimulated ? `${words.lead} ${words.leadSimulated}` : `${words.lead} ${words.leadReal}`;
}

function appHint(name: string | undefined, nameOfUsable: string | undefined): string {
  if (nameOfUsable !== undefined) return words.appDone(nameOfUsable);
  return name === undefined ? words.appHint : words.appExists(name);
}

interface StepProps {
  done: boolean;
  number: number;
  title: string;
  hint: string;
  children?: ReactNode;
}

function Step({ done, number, title, hint, children }: StepProps) {
  return (
    <li className={classes.step}>
      <span className={classes.number} data-done={done}>
        {done ? <Icon name="check" size={16} label={text.common.done} /> : number}
      </span>
      <Stack gap={6} flex={1}>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed" maw={640}>
          {hint}
        </Text>
        {children && <Group>{children}</Group>}
      </Stack>
    </li>
  );
}
