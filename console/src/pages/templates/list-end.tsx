import { Button } from '@mantine/core';
import { Icon } from '../../ui/basics/icons.js';
import { ProblemText } from '../../ui/forms/problem-text.js';

interface ListEndProps {
  /** What is wrong with the list as a whole. */
  problem: string | undefined;
  /** What the button says. */
  add: string;
  /** Left out of a list that is full. */
  onAdd: (() => void) | undefined;
}

/** What stands below the entries of a list that grows: what is wrong with it, and the button that adds an entry. */
export function ListEnd({ problem, add, onAdd }: ListEndProps) {
  return (
    <>
      <ProblemText>{problem}</ProblemText>
      {onAdd && (
        <div>
          <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
            {add}
          </Button>
        </div>
      )}
    </>
  );
}
