import {
  Forbidden,
  StartupError,
  type Actor,
  type Chain,
  type Decision,
  type Opinion,
  type NoOpinion,
  type Permission,
  type RecordedOpinion,
  type Resource,
  type Rowhouse,
  type TakeAnswer,
  type Visibility,
} from "rowhouse/plugin-api";

const KEPT_DECISIONS = 200;
const ANSWER_LIMIT_MS = 5000;

/** What a chain came to, and by which action. */
interface Verdict {
  readonly allowed: boolean;
  readonly by: string;
}

/** Puts permission questions to every plugin and makes one answer of theirs. It knows no permission by name. */
export class PermissionDesk {
  readonly permissions = new Map<string, Permission>();
  readonly #rowhouse: Rowhouse;
  /** Plugins that answer for many resources at once; their single answers are then not needed. */
  readonly #bulk: ReadonlySet<string>;
  readonly #everybodyInBulk: boolean;
  #decisions: Decision[] = [];

  constructor(rowhouse: Rowhouse) {
    this.#rowhouse = rowhouse;
    const asked = rowhouse.plugins.filter(({ hooks }) => hooks.includes("permission_allowed"));
    this.#bulk = new Set(
      rowhouse.plugins
        .filter(({ hooks }) => hooks.includes("permission_allowed_many"))
        .map(({ name }) => name),
    );
    this.#everybodyInBulk = asked.every(({ name }) => this.#bulk.has(name));
  }

  /** @throws StartupError when two different permissions share a name or an abbreviation */
  register(permissions: readonly Permission[]): void {
    const byAbbr = new Map<string, Permission>();
    for (const permission of permissions) {
      const sameName = this.permissions.get(permission.name);
      if (sameName !== undefined && !sameRecord(sameName, permission))
        throw new StartupError(`Duplicate permission name: ${permission.name}`);
      const sameAbbr = permission.abbr ? byAbbr.get(permission.abbr) : undefined;
      if (sameAbbr !== undefined && !sameRecord(sameAbbr, permission))
        throw new StartupError(`Duplicate permission abbr: ${permission.abbr}`);
      this.permissions.set(permission.name, permission);
      if (permission.abbr) byAbbr.set(permission.abbr, permission);
    }
  }

  /** The last questions, newest first. */
  get decisions(): readonly Decision[] {
    return this.#decisions.slice(-KEPT_DECISIONS).reverse();
  }

  async decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision> {
    const opinions: RecordedOpinion[] = [];
    const pending: Promise<void>[] = [];
    const take = this.#taker(opinions, pending, action);
    this.#rowhouse.hooks.permission_allowed.call(take, this.#rowhouse, { actor, action, resource });
    if (pending.length > 0) await Promise.all(pending);
    return this.#settle(actor, action, resource, opinions);
  }

  /** The same question about many resources, one call for each plugin that can answer so. */
  async decideMany(actor: Actor | null, action: string, resources: readonly Resource[]): Promise<Decision[]> {
    if (resources.length === 0) return [];
    const { hooks } = this.#rowhouse;
    const pending: Promise<void>[] = [];
    const opinions = resources.map((): RecordedOpinion[] => []);
    const takers = opinions.map((list) => this.#taker(list, pending, action));
    const spread = (plugin: string, answers: readonly (Opinion | NoOpinion)[] | NoOpinion): void =>
      takers.forEach((take, index) =>
        take(plugin, Array.isArray(answers) ? answers[index] : (answers as undefined)),
      );
    hooks.permission_allowed_many.call(
      (plugin, answers) => {
        if (!(answers instanceof Promise)) return spread(plugin, answers);
        pending.push(
          answers.then(
            (list) => spread(plugin, list),
            (error: unknown) => takers.forEach((take) => take(plugin, Promise.reject(error))),
          ),
        );
      },
      this.#rowhouse,
      { actor, action, resources },
    );
    if (!this.#everybodyInBulk) {
      resources.forEach((resource, index) => {
        const take: TakeAnswer<Opinion> = (plugin, answer) => {
          if (!this.#bulk.has(plugin)) takers[index]?.(plugin, answer);
        };
        hooks.permission_allowed.call(take, this.#rowhouse, { actor, action, resource });
      });
    }
    // Bulk answers that arrive late add questions of their own.
    for (let settled = 0; settled < pending.length;) {
      const batch = pending.slice(settled);
      settled = pending.length;
      await Promise.all(batch);
    }
    return resources.map((resource, index) => this.#settle(actor, action, resource, opinions[index] ?? []));
  }

  /** @throws Forbidden */
  async ensure(actor: Actor | null, chain: Chain, refusal?: string): Promise<void> {
    const { allowed, by } = await this.#verdict(actor, chain);
    if (!allowed) throw new Forbidden(refusal ?? by);
  }

  async visibility(actor: Actor | null, chain: Chain): Promise<Visibility> {
    const visible = (await this.#verdict(actor, chain)).allowed;
    const isPrivate = visible && actor !== null && !(await this.#verdict(null, chain)).allowed;
    return { visible, private: isPrivate };
  }

  async visibilityMany(actor: Actor | null, chains: readonly Chain[]): Promise<Visibility[]> {
    const visible = await this.#verdicts(actor, chains);
    if (actor === null) return visible.map((allowed) => ({ visible: allowed, private: false }));
    const open = await this.#verdicts(null, chains);
    return visible.map((allowed, index) => ({ visible: allowed, private: allowed && open[index] !== true }));
  }

  async #verdict(actor: Actor | null, chain: Chain): Promise<Verdict> {
    const [first] = chain;
    if (first === undefined) return { allowed: true, by: "" };
    for (const [action, resource] of chain) {
      const { opinion } = await this.decide(actor, action, resource);
      if (opinion !== null) return { allowed: opinion, by: action };
    }
    return { allowed: this.#defaultOf(first[0]), by: first[0] };
  }

  /** Many chains step by step: those still open at a step ask its questions together, each question once. */
  async #verdicts(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]> {
    const results: (boolean | undefined)[] = chains.map((chain) => (chain.length === 0 ? true : undefined));
    for (
      let step = 0;
      chains.some((chain, index) => results[index] === undefined && step < chain.length);
      step++
    ) {
      const asking = chains.flatMap((chain, index) => {
        const question = chain[step];
        return results[index] === undefined && question !== undefined ? [{ index, question }] : [];
      });
      const answers = await this.#askTogether(
        actor,
        asking.map(({ question }) => question),
      );
      asking.forEach(({ index }, position) => {
        const opinion = answers[position];
        if (opinion !== null) results[index] = opinion;
      });
    }
    return results.map((result, index) => result ?? this.#defaultOf(chains[index]?.[0]?.[0] ?? ""));
  }

  async #askTogether(actor: Actor | null, questions: Chain): Promise<(boolean | null)[]> {
    const wanted = new Map<string, Map<string, Resource>>();
    for (const [action, resource] of questions) {
      const resources = wanted.get(action) ?? new Map<string, Resource>();
      wanted.set(action, resources.set(JSON.stringify(resource), resource));
    }
    const answers = new Map<string, boolean | null>();
    for (const [action, resources] of wanted) {
      const decisions = await this.decideMany(actor, action, [...resources.values()]);
      [...resources.keys()].forEach((key, index) =>
        answers.set(`${action} ${key}`, decisions[index]?.opinion ?? null),
      );
    }
    return questions.map(
      ([action, resource]) => answers.get(`${action} ${JSON.stringify(resource)}`) ?? null,
    );
  }

  #defaultOf(action: string): boolean {
    return this.permissions.get(action)?.default ?? false;
  }

  #settle(
    actor: Actor | null,
    action: string,
    resource: Resource,
    opinions: readonly RecordedOpinion[],
  ): Decision {
    const opinion = opinions.length === 0 ? null : opinions.every(({ allowed }) => allowed);
    const decision: Decision = {
      actor,
      action,
      resource,
      opinion,
      allowed: opinion ?? this.#defaultOf(action),
      usedDefault: opinion === null,
      opinions,
      at: new Date(),
    };
    this.#decisions.push(decision);
    if (this.#decisions.length > 4 * KEPT_DECISIONS) this.#decisions = this.#decisions.slice(-KEPT_DECISIONS);
    return decision;
  }

  /** Notes opinions as they come; what is no opinion at all, fails or takes too long is a no, and logged. */
  #taker(opinions: RecordedOpinion[], pending: Promise<void>[], action: string): TakeAnswer<Opinion> {
    const refuse = (plugin: string, because: string, cause?: unknown): void => {
      this.#rowhouse.log.error(
        `Plugin ${plugin} failed in permission_allowed for ${action}: ${because}`,
        cause,
      );
      opinions.push({ plugin, allowed: false, because });
    };
    const note = (plugin: string, answer: unknown): void => {
      if (answer === null || answer === undefined) return;
      if (typeof answer === "boolean") return void opinions.push({ plugin, allowed: answer, because: null });
      if (isReasoned(answer)) return void opinions.push({ plugin, ...answer });
      refuse(plugin, "its answer is neither true, false nor nothing");
    };
    return (plugin, answer) => {
      if (!(answer instanceof Promise)) return note(plugin, answer);
      pending.push(
        inTime(answer).then(
          (value) => note(plugin, value),
          (error: unknown) => refuse(plugin, error instanceof Error ? error.message : String(error), error),
        ),
      );
    };
  }
}

async function inTime<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_LIMIT_MS} ms`)), ANSWER_LIMIT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

const isReasoned = (answer: unknown): answer is { readonly allowed: boolean; readonly because: string } =>
  typeof answer === "object" && answer !== null && "allowed" in answer && typeof answer.allowed === "boolean";

const sameRecord = (left: Permission, right: Permission): boolean =>
  (["name", "abbr", "description", "takes_database", "takes_resource", "default"] as const).every(
    (key) => (left[key] ?? null) === (right[key] ?? null),
  );
