/** Takes steps from the budget of the running validation. Throws OutOfSteps when none are left. */
export type Spend = (steps: number) => void;

export class OutOfSteps extends Error {}

export function createBudget() {
  let left = 0;
  return {
    spend(steps: number): void {
      left -= steps;
      if (left < 0) throw new OutOfSteps();
    },
    refill(steps: number): void {
      left = steps;
    },
  };
}
