import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { appsQuery } from '../../api/keys.js';
import { useSecrets } from '../../app/secrets.js';
import { useAccount, useAccountId, useCan } from '../../app/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/icons.js';
import { ButtonLink } from '../../ui/links.js';
import { NoCredit } from '../../ui/no-credit.js';
import { Section } from '../../ui/section.js';
import classes from './first-steps.module.css';

/** The way to the first message, until an app of the account was used; for those who may walk it. */
export function FirstSteps() {
  const accountId = useAccountId();
  const balance = useAccount()?.balance;
  const mayCall = useCan('developer');
  const { data: apps } = useQuery({ ...appsQuery(accountId), enabled: mayCall });
  const known = useSecrets(accountId).find(({ secret }) => secret === undefined);
  if (!mayCall || !apps || apps.some(({ lastUsedAt }) => lastUsedAt)) return null;
  return (
    <Section title={text.firstSteps.title} lead={text.firstSteps.lead}>
      {balance !== undefined && Number(balance) <= 0 && <NoCredit title={text.noCredit.none} />}
      <ol className={classes.steps}>
        <Step
          done={known !== undefined}
          number={1}
          title={text.firstSteps.app}
          hint={known ? text.firstSteps.appDone(known.name) : text.firstSteps.appHint}
        >
          {!known && (
            <ButtonLink to="/a/$accountId/developers/apps" params={{ accountId }} search={{ create: 'yes' }}>
              {text.apps.create}
            </ButtonLink>
          )}
        </Step>
        <Step done={false} number={2} title={text.firstSteps.send} hint={text.firstSteps.sendHint}>
          {known && (
            <ButtonLink
              to="/a/$accountId/developers/playground"
              params={{ accountId }}
              search={{ operation: 'send', with: known.id }}
            >
              {text.firstSteps.open}
            </ButtonLink>
          )}
        </Step>
        <Step done={false} number={3} title={text.firstSteps.watch} hint={text.firstSteps.watchHint} />
      </ol>
    </Section>
  );
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
