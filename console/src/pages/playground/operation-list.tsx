import { TextInput, UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import classes from './operation-list.module.css';
import { type Operation, searchOperations } from './operations.js';

interface OperationListProps {
  operations: readonly Operation[];
  chosen: string | undefined;
  onChoose(id: string): void;
}

export function OperationList({ operations, chosen, onChoose }: OperationListProps) {
  const [search, setSearch] = useState('');
  const matches = useMemo(() => searchOperations(operations, search), [operations, search]);
  const tags = [...new Set(matches.map(({ tag }) => tag))];
  return (
    <div className={classes.list}>
      <TextInput
        type="search"
        aria-label={text.playground.search}
        placeholder={text.playground.search}
        leftSection={<Icon name="search" size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = matches;
          if (event.key === 'Enter' && first) onChoose(first.id);
        }}
      />
      <p className={classes.count} aria-live="polite">
        {text.playground.operationCount(matches.length)}
      </p>
      <nav aria-label={text.playground.operations} className={classes.groups}>
        {tags.map((tag) => (
          <section key={tag} aria-label={tag}>
            <h2 className={classes.tag}>{tag}</h2>
            <ul>
              {matches
                .filter((operation) => operation.tag === tag)
                .map(({ id, method, summary, path }) => (
                  <li key={id}>
                    <UnstyledButton
                      className={classes.operation}
                      aria-current={id === chosen ? 'true' : undefined}
                      title={`${method} ${path}`}
                      onClick={() => onChoose(id)}
                    >
                      <span className={classes.method} data-method={method}>
                        {method}
                      </span>
                      <span>{summary}</span>
                    </UnstyledButton>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        {matches.length === 0 && <p className={classes.none}>{text.playground.noOperation}</p>}
      </nav>
    </div>
  );
}
