Object.assign(globalThis, { marker: "SIDE EFFECT OF A WORKFLOW" });
