import type { Rowhouse } from "rowhouse/plugin-api";
import type { ApiDescription } from "rowhouse/plugin-api/openapi";

/** The components of one kind in a document: each name belongs to the description that has it first. */
export class UniqueComponents {
  readonly #owners = new Map<string, ApiDescription | null>();
  #isLogged = false;

  /** @param kind for the log: `schema` */
  constructor(
    private readonly rowhouse: Rowhouse,
    private readonly kind: string,
  ) {}

  /**
   * The components whose names are free. The log names the first other one: tables have thousands of them.
   *
   * @param by null for components of this plugin
   */
  *take<Component>(
    components: Readonly<Record<string, Component>>,
    by: ApiDescription | null,
  ): Generator<[name: string, component: Component]> {
    for (const [name, component] of Object.entries(components)) {
      const owner = this.#owners.get(name);
      if (owner === undefined) {
        this.#owners.set(name, by);
        yield [name, component];
      } else this.#report(name, owner, by);
    }
  }

  #report(name: string, owner: ApiDescription | null, by: ApiDescription | null): void {
    if (!this.#isLogged)
      this.rowhouse.log.error(
        `The ${this.kind} ${name} that ${this.#authorOf(by)} describes is left out: ${this.#authorOf(owner)} describes one with this name. Begin the names of components with that of the plugin`,
      );
    this.#isLogged = true;
  }

  #authorOf(description: ApiDescription | null): string {
    const plugin = description === null ? null : this.rowhouse.pluginOf(description);
    return plugin === null ? "a bundled plugin" : `the plugin ${plugin}`;
  }
}
