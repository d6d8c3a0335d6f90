"""A bank whose balance is read, and written again after something else may have happened.

gristmill explore examples/explore/bank.py
"""

import asyncio


class Bank(asyncio.Protocol):
    balance = 0

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.task = asyncio.ensure_future(self.deposit(int(data)))

    async def deposit(self, amount):
        before = Bank.balance
        await asyncio.sleep(0)  # somebody else's turn
        Bank.balance = before + amount
        self.transport.write(b"done")


def program(world):
    Bank.balance = 0

    async def bank(node):
        await asyncio.get_running_loop().create_server(Bank, "0.0.0.0", 80)

    async def customer(node):
        await asyncio.sleep(1)
        reader, writer = await asyncio.open_connection("bank", 80)
        writer.write(b"10")
        await reader.readexactly(4)
        writer.close()

    world.node("bank", bank, daemon=True)
    world.node("alice", customer)
    world.node("bob", customer)

    def nothing_is_lost():
        assert Bank.balance == 20, f"the balance is {Bank.balance}"

    world.at_end("nothing is lost", nothing_is_lost)
