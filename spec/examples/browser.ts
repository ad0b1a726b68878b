/** As much of a browser as a sign-in needs: it keeps cookies and fills forms. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  constructor(private readonly origin: string) {}

  /** @param path of the site, or a whole address */
  async get(path: string): Promise<Response> {
    return this.#send(path, {});
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** To be looked into freely. */
  async json(path: string): Promise<ReturnType<typeof JSON.parse>> {
    return JSON.parse(await this.text(path));
  }

  /** Continues while it is redirected. */
  async follow(path: string): Promise<Response> {
    const reply = await this.get(path);
    const location = reply.headers.get("location");
    return location === null ? reply : this.follow(location);
  }

  /** Posts a form with the token that the page has for it. */
  async submit(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    const token = /name="csrftoken" value="([^"]*)"/.exec(await this.text(path))?.[1] ?? "";
    return this.#send(path, { method: "POST", body: new URLSearchParams({ ...fields, csrftoken: token }) });
  }

  async #send(path: string, options: RequestInit): Promise<Response> {
    const address = new URL(path, this.origin);
    const isOurs = address.origin === new URL(this.origin).origin;
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = isOurs && cookie !== "" ? { cookie } : {};
    const reply = await fetch(address, { ...options, headers, redirect: "manual" });
    if (isOurs) for (const one of reply.headers.getSetCookie()) this.#keep(one);
    return reply;
  }

  #keep(cookie: string): void {
    const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=", 2);
    if (/Max-Age=0/i.test(cookie)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
